export {
  type AllowList,
  BlockedAddress,
  allowList,
  isAddressAllowed,
  assertAddressAllowed,
  isInsideAddress,
  isInNetworks,
  networkOf,
} from './address-class.js';
export type { EmbeddingsEnv, ProvidersEnv, SummaryEnv } from './providers-env.js';
export { DeadlinePassed, type Deadline, startDeadline, orAborted } from './deadline.js';
export { VARIABLES, type Env, InvalidEnvironment, loadEnv, isPooled } from './env.js';
export { type FieldErrors, InvalidFields, NotFound, Conflict } from './errors.js';
export { type PeriodicTask, runPeriodically } from './run-periodically.js';
export { newId, isUuid, firstIdOf } from './ids.js';
export { type Log, withLogScope, addToLogScope, createLog } from './log.js';
export { usd, microsOf, isoTime, timeOrNull } from './api-values.js';
export { type StopReason, endOnSignal, leaveProcess } from './process-end.js';
export { type RedisLocation, redisLocation } from './redis-location.js';
export { MissingSetting, databaseUrl, secretKey, encryptionOf } from './required-settings.js';
export { s3Location, type S3Location } from './s3-location.js';
export { Encryption } from './encryption.js';
export { startTracing, type Tracing } from './start-tracing.js';
export { endSpan, isTracing, startSpan, traceFields, traceParentOf, type Span } from './tracing.js';
export { UnusableSetting, bySetting } from './unusable-setting.js';
export { VERSION } from './version.js';
