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

/**
 * The IANA time zones of a number in E.164 (`+4930…`): of its area where the numbering plan names one, else of its country or region.
 * Empty: unknown, as for satellite phones.
 */
export function timeZonesOf(e164: string): readonly string[] {
  zonesOfPrefix ??= zonesByPrefix();
  for (let prefix = e164.replace(/^\+/, ''); prefix !== ''; prefix = prefix.slice(0, -1)) {
    const zones = zonesOfPrefix.get(prefix);
    if (zones) return zones;
  }
  return [];
}
