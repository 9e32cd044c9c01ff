export { createTrunkline, type Trunkline, type TrunklineOptions, type Warning } from './trunkline.js';
export { bodyOf, dataOf, type ErrorCode, TrunklineError } from './answer.js';
export { placeCall, placeCalls, type CallOrder, type Destinations, type PlaceOptions } from './place-calls.js';
export { type CallCommand, sendCommand } from './send-command.js';
export { every, type ListedItem, type ListQuery, type ListRoute } from './pages.js';
export { type IgnoredField, ignoredFieldText } from './ignored-fields.js';
export { type RetryOptions } from './retry.js';
export { type CallEvent, watchCall, type WatchOptions } from './watch-call.js';
export {
  type ToolActionBody,
  type ToolRequest,
  verifyToolRequest,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookRejected,
} from './webhooks.js';
export type { Schemas } from './schemas.js';
export type { components, operations, paths } from './generated/api-types.js';
