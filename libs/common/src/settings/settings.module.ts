import { Encryption } from '../values/encryption.js';
import { encryptionOf, secretKey } from '../environment/setting-errors.js';
import { type Env } from '../environment/env.js';
import { type Log } from '../process/log.js';
import { InternalRequests } from '../internal-requests.js';
import { newId } from '../values/api-values.js';
import { type DynamicModule, Module } from '@nestjs/common';

/** The settings of the process: `@Inject(ENV) env: Env` (see libs/common/src/environment/env.ts). */
export const ENV = Symbol('ENV');

/** The log of the process: `@Inject(LOG) log: Log`. */
export const LOG = Symbol('LOG');

/** `@Inject(OWNER) owner: string`: names this process in leases, for example `worker-0190…`; new at every start. */
export const OWNER = Symbol('OWNER');

interface ProcessSettings {
  env: Env;
  log: Log;
  /** The role of the process: `api`, `worker`, `dialer` or `cli`. */
  role: string;
}

/** Provides the settings, the log, the name in leases, the encryption of secrets and the signatures between processes to every module of a process. */
@Module({})
export class SettingsModule {
  static forRoot({ env, log, role }: ProcessSettings): DynamicModule {
    const settings = [
      { provide: ENV, useValue: env },
      { provide: LOG, useValue: log },
      { provide: OWNER, useFactory: () => `${role}-${newId()}` },
      { provide: InternalRequests, useFactory: () => new InternalRequests(env) },
    ];
    const keyless = role === 'cli' && env.SECRET_KEY === undefined;
    const encryption = {
      provide: Encryption,
      useFactory: () => (keyless ? new MissingEncryption() : encryptionOf(env)),
    };
    return {
      module: SettingsModule,
      global: true,
      providers: [...settings, encryption],
      exports: [...settings, encryption].map(({ provide }) => provide),
    };
  }
}

/** For commands without SECRET_KEY, which work until they need a secret. Every use throws MissingSetting. */
class MissingEncryption extends Encryption {
  constructor() {
    super('');
  }

  override get fingerprint(): string {
    return secretKey({ SECRET_KEY: undefined });
  }

  override derive(): Buffer {
    throw new Error(this.fingerprint);
  }

  override encrypt(): Buffer {
    throw new Error(this.fingerprint);
  }

  override decrypt(): string {
    return this.fingerprint;
  }
}
