import { databaseUrl, type Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from './data-source-options.js';
import { Database } from './database.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { InvariantsRepository } from './invariants.repository.js';
import { LeaderLeaseRepository } from './leader-lease.repository.js';
import { RecordExistenceRepository } from './record-existence.repository.js';

const REPOSITORIES = [IdempotencyRepository, InvariantsRepository, LeaderLeaseRepository, RecordExistenceRepository];

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
      providers: [Database, ...REPOSITORIES],
      exports: [Database, ...REPOSITORIES],
    };
  }
}
