import { Encryption, encryptionOf, type Env, type Log, newId, secretKey } from '@app/common';
import { type DynamicModule, Module } from '@nestjs/common';
import { ENV, LOG, OWNER } from './tokens.js';

interface ProcessSettings {
  env: Env;
  log: Log;
  /** The process's part in the service: `api`, `worker`, `dialer` or `cli`. */
  role: string;
}

/** Gives every module of a process its settings, its log, its name in leases and the encryption of secrets. */
@Module({})
export class SettingsModule {
  static forRoot({ env, log, role }: ProcessSettings): DynamicModule {
    const settings = [
      { provide: ENV, useValue: env },
      { provide: LOG, useValue: log },
      { provide: OWNER, useFactory: () => `${role}-${newId()}` },
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

/** Of commands without SECRET_KEY: they work as long as they touch no secret. Every use throws MissingSetting. */
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
