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
export { usd, microsOf, isoTime, timeOrNull } from './api-values.js';
export { CooperativeYield } from './cooperative-yield.js';
export { DeadlinePassed, type Deadline, startDeadline, orAborted } from './deadline.js';
export { Encryption } from './encryption.js';
export { VARIABLES, type Env, InvalidEnvironment, loadEnv, isPooled } from './env.js';
export { type FieldErrors, InvalidFields, NotFound, Conflict } from './errors.js';
export { newId, isUuid, firstIdOf } from './ids.js';
export { type Log, withLogScope, addToLogScope, createLog } from './log.js';
export { type StopReason, endOnSignal, leaveProcess } from './process-end.js';
export {
  PROVIDER_NAMES,
  type ProviderName,
  type ProvidersEnv,
  type SummaryEnv,
  type EmbeddingsEnv,
} from './providers-env.js';
export { type RedisLocation, redisLocation } from './redis-location.js';
export { MissingSetting, databaseUrl, secretKey, encryptionOf } from './required-settings.js';
export { type PeriodicTask, runPeriodically } from './run-periodically.js';
export { type S3Location, s3Location } from './s3-location.js';
export { type Release, Semaphore, KeyedSemaphore, FairSemaphore } from './semaphore.js';
export { type Tracing, startTracing } from './start-tracing.js';
export { type Span, isTracing, startSpan, endSpan, traceParentOf, traceFields } from './tracing.js';
export { UnusableSetting, bySetting } from './unusable-setting.js';
export { VERSION } from './version.js';
