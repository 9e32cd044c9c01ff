import { createRequire } from 'node:module';

/** The CommonJS build with the complete metadata, which class-validator requires: `import` would load the library a second time. */
const library = createRequire(import.meta.url)('libphonenumber-js/max') as typeof import('libphonenumber-js/max');

export const isSupportedCountry = library.isSupportedCountry;
export const parsePhoneNumberFromString = library.parsePhoneNumberFromString;
export type { CountryCode } from 'libphonenumber-js/max';
