import { databaseUrl, type Env } from '@app/common';
import { ENV } from '@app/settings';
import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { BacklogRepository } from './backlog.repository.js';
import { dataSourceOptions } from './data-source-options.js';
import { Database } from './database.js';
import { RecordExistenceRepository } from './record-existence.repository.js';
import { InvariantsRepository } from './invariants.repository.js';

/**
 * Opens the database of the process, and closes it after every other module. Feature modules register their entities with
 * `TypeOrmModule.forFeature`. `poolSize`: connections at most, DATABASE_POOL when absent.
 */
@Module({})
export class DatabaseModule {
  static forRoot({ poolSize }: { poolSize?: number } = {}): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [ENV],
          useFactory: (env: Env) => ({
            ...dataSourceOptions(databaseUrl(env), poolSize ?? env.DATABASE_POOL),
            autoLoadEntities: true,
            retryAttempts: 0,
          }),
        }),
      ],
      providers: [
        Database,
        BacklogRepository,
        InvariantsRepository,
        RecordExistenceRepository,
        { provide: Pool, inject: [Database], useFactory: ({ pool }: Database) => pool },
      ],
      exports: [Database, BacklogRepository, InvariantsRepository, RecordExistenceRepository, Pool],
    };
  }
}
