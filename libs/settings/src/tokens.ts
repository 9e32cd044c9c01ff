/** The settings of the process: `@Inject(ENV) env: Env` (see libs/common/src/env.ts). */
export const ENV = Symbol('ENV');

/** The log of the process: `@Inject(LOG) log: Log`. */
export const LOG = Symbol('LOG');

/** `@Inject(OWNER) owner: string`: names this process in leases, for example `worker-0190…`; new at every start. */
export const OWNER = Symbol('OWNER');
