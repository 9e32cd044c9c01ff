import { createRequire } from 'node:module';

/** The CommonJS build, which cron-parser requires: `import` would load the library a second time. */
export const { DateTime, IANAZone } = createRequire(import.meta.url)('luxon') as typeof import('luxon');
