import { LRUCache } from 'lru-cache';
import { parsePhoneNumberFromString } from '../phone-numbers/index.js';
import { ZONES_OF_PREFIXES } from './number-time-zones.data.js';

let prefixes: Map<string, readonly string[]> | undefined;

function zonesByPrefix(): ReadonlyMap<string, readonly string[]> {
  if (prefixes) return prefixes;
  prefixes = new Map();
  for (const line of ZONES_OF_PREFIXES.trim().split('\n')) {
    const [zones = '', ofZones = ''] = line.split(': ');
    const list = zones.split(' ');
    for (const prefix of ofZones.split(' ')) prefixes.set(prefix, list);
  }
  return prefixes;
}

/** Of the North American plan: toll-free, premium and personal numbers belong to no area, and the plan spans twelve hours. */
const WITHOUT_AREA = /^\+1(?:8(?:00|33|44|55|66|77|88)|[79]00|5(?:00|2[1-9]|33|44|66|77|88))/;

/** The North American plan, Mexico, Argentina and Brazil: their mobile numbers have area codes, as in libphonenumber. */
const MOBILE_BY_AREA = new Set(['1', '52', '54', '55']);

/**
 * The IANA time zones of a number in E.164 (`+4930…`): of its area where it belongs to one, else all of its country or region. Mobile,
 * toll-free and other numbers without an area are used everywhere in their country, although the zone map has one zone for most of
 * them. Empty: unknown, as for satellite phones and for the toll-free numbers of North America.
 */
export function timeZonesOf(e164: string): readonly string[] {
  const known = recent.get(e164);
  if (known) return known;
  const zones = findTimeZones(e164);
  recent.set(e164, zones);
  return zones;
}

/** A campaign looks at the same open contacts in each round; to parse a mobile number takes 100 µs. */
const recent = new LRUCache<string, readonly string[]>({ max: 10_000 });

function findTimeZones(e164: string): readonly string[] {
  if (WITHOUT_AREA.test(e164)) return [];
  const zones = zonesOf(e164);
  const { calling, country, type } = planOf(e164, zones);
  if (calling === undefined || type === undefined) return zones;
  if (type.startsWith('FIXED_LINE') || MOBILE_BY_AREA.has(calling)) return zones;
  // Kazakhstan shares its code with Russia.
  return zonesOf(country === 'KZ' ? '77' : calling);
}

interface Plan {
  calling?: string;
  country?: string;
  /** Undefined: not a number of the plan. */
  type?: string;
}

/** Unknown for numbers that have all zones of their code: parsing takes longer than the rest. */
function planOf(e164: string, zones: readonly string[]): Plan {
  const ofCode = [1, 2, 3].map((length) => zonesByPrefix().get(e164.slice(1, 1 + length))).find(Boolean);
  const parsed = zones === ofCode || zones.length === 0 ? undefined : parsePhoneNumberFromString(e164);
  return parsed ? { calling: parsed.countryCallingCode, country: parsed.country, type: parsed.getType() } : {};
}

/** The zones of the longest known prefix. */
function zonesOf(number: string): readonly string[] {
  for (let prefix = number.replace(/^\+/, ''); prefix !== ''; prefix = prefix.slice(0, -1)) {
    const zones = zonesByPrefix().get(prefix);
    if (zones) return zones;
  }
  return [];
}
