export { createTrunkline, type Trunkline, type TrunklineOptions } from './trunkline.js';
export { bodyOf, dataOf, TrunklineError } from './answer.js';
export { placeCall, placeCalls, type CallOrder } from './place-calls.js';
export { every, type ListedItem, type ListQuery, type ListRoute } from './pages.js';
export { type RetryOptions } from './retry.js';
export { type CallEvent, watchCall, type WatchOptions } from './watch-call.js';
export { WebhookRejected, verifyWebhook, type WebhookEvent } from './webhooks.js';
export type { Schemas } from './schemas.js';
export type { components, operations, paths } from './generated/api-types.js';
