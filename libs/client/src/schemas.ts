import type { components } from './generated/api-types.js';

/** The schemas of the API by their name in openapi.json: `Schemas['CallDto']`. */
export type Schemas = components['schemas'];
