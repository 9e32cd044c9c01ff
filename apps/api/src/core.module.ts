import { type Links, linksOf } from '@app/calls';
import { databaseUrl, type Env, type Log, Seal, sealOf } from '@app/common';
import { watchPool } from '@app/metrics';
import { dataSourceOptions, poolOf } from '@app/db';
import { openStorage } from '@app/storage';
import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';

/** Names of what has no class to be asked for by. */
export const ENV = 'ENV';
export const LOG = 'LOG';
export const STORAGE = 'STORAGE';
export const LINKS = 'LINKS';

/** What every module works with: settings, log, database, key, storage. */
@Module({})
export class CoreModule {
  static forRoot(env: Env, log: Log): DynamicModule {
    return {
      module: CoreModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...dataSourceOptions(databaseUrl(env), env.DATABASE_POOL), retryAttempts: 0 }),
        }),
      ],
      providers: [
        { provide: ENV, useValue: env },
        { provide: LOG, useValue: log },
        { provide: Pool, inject: [DataSource], useFactory: (dataSource: DataSource) => openPool(dataSource, log) },
        { provide: Seal, useFactory: () => sealOf(env) },
        { provide: STORAGE, useFactory: () => openStorage(env) },
        { provide: LINKS, inject: [Seal], useFactory: (seal: Seal): Links => linksOf(env, seal) },
      ],
      exports: [ENV, LOG, Pool, Seal, STORAGE, LINKS],
    };
  }
}

function openPool(dataSource: DataSource, log: Log): Pool {
  const pool = poolOf(dataSource);
  // An idle connection that the server closes is replaced at the next query; without a listener it would end the process.
  pool.on('error', (err) => log.warn({ err }, 'an idle database connection was lost'));
  watchPool(pool);
  return pool;
}
