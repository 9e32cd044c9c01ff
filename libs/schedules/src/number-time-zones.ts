import { ZONES_OF_PREFIXES } from './number-time-zones.data.js';

let zonesOfPrefix: Map<string, string[]> | undefined;

function zonesByPrefix(): Map<string, string[]> {
  const map = new Map<string, string[]>();
  for (const line of ZONES_OF_PREFIXES.trim().split('\n')) {
    const [zones = '', prefixes = ''] = line.split(': ');
    for (const prefix of prefixes.split(' ')) map.set(prefix, zones.split(' '));
  }
  return map;
}

/** Of the North American plan: toll-free, premium and personal numbers belong to no area, and the plan spans twelve hours. */
const WITHOUT_AREA = /^\+1(?:8(?:00|33|44|55|66|77|88)|[79]00|5(?:00|2[1-9]|33|44|66|77|88))/;

/**
 * The IANA time zones of a number in E.164 (`+4930…`): of its area where the numbering plan names one, else of its country or region.
 * Empty: unknown, as for satellite phones and for the toll-free numbers of North America.
 */
export function timeZonesOf(e164: string): readonly string[] {
  if (WITHOUT_AREA.test(e164)) return [];
  zonesOfPrefix ??= zonesByPrefix();
  for (let prefix = e164.replace(/^\+/, ''); prefix !== ''; prefix = prefix.slice(0, -1)) {
    const zones = zonesOfPrefix.get(prefix);
    if (zones) return zones;
  }
  return [];
}
