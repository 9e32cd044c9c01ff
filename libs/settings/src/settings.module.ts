import { Encryption, encryptionOf, type Env, type Log, newId } from '@app/common';
import { type DynamicModule, Module } from '@nestjs/common';
import { ENV, LOG, OWNER } from './tokens.js';

export interface ProcessSettings {
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
    // Commands that handle no secret work without SECRET_KEY.
    const keyed = role === 'cli' && env.SECRET_KEY === undefined ? [] : [encryptionProvider(env)];
    return {
      module: SettingsModule,
      global: true,
      providers: [...settings, ...keyed],
      exports: [...settings, ...keyed].map(({ provide }) => provide),
    };
  }
}

const encryptionProvider = (env: Env) => ({ provide: Encryption, useFactory: () => encryptionOf(env) });
