export {
  type Env,
  givenSecrets,
  InvalidEnvironment,
  isPooled,
  loadEnv,
  SECRET_FILES,
  VARIABLES,
} from './environment/env.js';
export { missingSecrets } from './environment/missing-secrets.js';
export {
  EMBEDDINGS_VENDORS,
  type EmbeddingsEnv,
  embeddingsKey,
  embeddingsProvider,
  type EmbeddingsVendor,
  MODEL_NAMES,
  type ModelName,
  PROVIDER_NAMES,
  PROVIDER_VARIABLES,
  type ProviderName,
  type ProvidersEnv,
  REASONING_EFFORTS,
  type ReasoningEffort,
  type SummaryEnv,
  SYNTHESIZER_NAMES,
  type SynthesizerName,
  TRANSCRIBER_NAMES,
  type TranscriberName,
  VENDOR_VARIABLES,
} from './environment/providers-env.js';
export { readsSecret, ROLE_SECRETS, type SecretReader, surplusSecrets } from './environment/role-secrets.js';
export { unknownSecretFiles } from './environment/secret-files.js';
export { bySetting, databaseUrl, MissingSetting, secretKey, UnusableSetting } from './environment/setting-errors.js';
export { type RedisLocation, redisLocation, type S3Location, s3Location } from './environment/store-locations.js';
export { InternalRequests } from './internal-requests.js';
export { LiveSet } from './process/live-set.js';
export { addToLogScope, createLog, type Log, withLogScope } from './process/log.js';
export { endOnSignal, leaveProcess, type StopReason } from './process/process-end.js';
export {
  endSpan,
  isTracing,
  type Span,
  startSpan,
  startTracing,
  traceFields,
  traceParentOf,
  type Tracing,
} from './process/tracing.js';
export { VERSION } from './process/version.js';
export { type Deadline, DeadlinePassed, orAborted, startDeadline } from './scheduling/deadline.js';
export { createDeferred } from './scheduling/deferred.js';
export { CooperativeYield, deleteInChunks, type PeriodicTask, runPeriodically } from './scheduling/scheduling.js';
export { UnitsAtWork } from './scheduling/units-at-work.js';
export { FairSemaphore, KeyedSemaphore, type Release, Semaphore } from './scheduling/semaphore.js';
export {
  type AllowList,
  allowList,
  assertAddressAllowed,
  BlockedAddress,
  isAddressAllowed,
  isInNetworks,
  isInsideAddress,
  networkOf,
  reachedAddress,
} from './values/address-class.js';
export type { AgentOfAccount } from './values/agent-of-account.js';
export { deriveId, firstIdOf, isoTime, isUuid, microsOf, newId, timeOrNull, usd } from './values/api-values.js';
export { Encryption } from './values/encryption.js';
export { ERROR_CODES, type ErrorCode } from './values/error-codes.js';
export {
  type CodedProblem,
  codeOf,
  Conflict,
  type FieldErrors,
  type FieldProblem,
  InvalidFields,
  messageOf,
  NotFound,
  refuseEntries,
  Unavailable,
  withCode,
  wrongNumber,
} from './values/errors.js';
export { exactNumbers, hasInexactNumber, inexactNumberPaths, readJson } from './values/exact-json.js';
export { kindOfField, noRecord, type ReferencedKind, referenceProblem } from './values/references.js';
export { retryAfterMs } from './values/retry-after.js';
export {
  deepWithoutSecureValues,
  deepWithSecureValues,
  secureNamesIn,
  secureReference,
  type SecureValues,
  withoutSecureValues,
  withSecureValues,
} from './values/secure-values.js';
