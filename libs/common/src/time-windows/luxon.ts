import { createRequire } from 'node:module';

/** The CommonJS build, which cron-parser requires: `import` would load the library a second time. */
const luxon = createRequire(import.meta.url)('luxon') as typeof import('luxon');

export const DateTime = luxon.DateTime;
export const IANAZone = luxon.IANAZone;
