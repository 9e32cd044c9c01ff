export {
  type AllowList,
  BlockedAddress,
  allowList,
  isAddressAllowed,
  assertAddressAllowed,
  isInsideAddress,
  isInNetworks,
  networkOf,
  reachedAddress,
} from './address-class.js';
export { derivedId, firstIdOf, isoTime, isUuid, microsOf, newId, timeOrNull, usd } from './api-values.js';
export { DeadlinePassed, type Deadline, startDeadline, orAborted } from './deadline.js';
export { Encryption } from './encryption.js';
export { VARIABLES, type Env, InvalidEnvironment, loadEnv, isPooled } from './env.js';
export { type FieldErrors, InvalidFields, NotFound, Conflict, Unavailable } from './errors.js';
export { LiveSet } from './live-set.js';
export { type Log, withLogScope, addToLogScope, createLog } from './log.js';
export { type StopReason, endOnSignal, leaveProcess } from './process-end.js';
export {
  MODEL_NAMES,
  REASONING_EFFORTS,
  type ReasoningEffort,
  type ModelName,
  PROVIDER_NAMES,
  type ProviderName,
  SYNTHESIZER_NAMES,
  type SynthesizerName,
  TRANSCRIBER_NAMES,
  type TranscriberName,
  VENDOR_VARIABLES,
  type ProvidersEnv,
  type SummaryEnv,
  type EmbeddingsEnv,
} from './providers-env.js';
export { type RedisLocation, redisLocation, type S3Location, s3Location } from './store-locations.js';
export { CooperativeYield, deleteInChunks, type PeriodicTask, runPeriodically } from './scheduling.js';
export { type Release, Semaphore, KeyedSemaphore, FairSemaphore } from './semaphore.js';
export {
  endSpan,
  isTracing,
  type Span,
  startSpan,
  startTracing,
  traceFields,
  traceParentOf,
  type Tracing,
} from './tracing.js';
export {
  deepWithoutSecureValues,
  deepWithSecureValues,
  secureNamesIn,
  secureReference,
  type SecureValues,
  withoutSecureValues,
  withSecureValues,
} from './secure-values.js';
export { bySetting, databaseUrl, encryptionOf, MissingSetting, secretKey, UnusableSetting } from './setting-errors.js';
export { VERSION } from './version.js';
export { exactNumbers, hasInexactNumber, inexactNumberPaths, readJson } from './exact-json.js';
