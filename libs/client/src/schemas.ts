import type { components } from './generated/api-types.js';

/** Every body that the API knows, by its name in openapi.json: `Schemas['CallDto']`. */
export type Schemas = components['schemas'];
