import { expect, it } from '@jest/globals';
import { createRequire } from 'node:module';
import { COUNTRIES, countryName } from '../../apps/console/src/logic/countries.js';

const { getCountries } = createRequire(import.meta.url)(
  'libphonenumber-js/max',
) as typeof import('libphonenumber-js/max');

it('the console offers the countries that the service knows, by name', () => {
  expect(COUNTRIES.map(([code]) => code).toSorted()).toEqual(getCountries().toSorted());
  expect(COUNTRIES.slice(0, 2).map(([, name]) => name)).toEqual(['Afghanistan', 'Åland Islands']);
  expect(countryName('DE')).toBe('Germany');
});
