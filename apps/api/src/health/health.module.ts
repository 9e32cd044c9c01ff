import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

@Module({
  controllers: [HealthController],
  providers: [
    {
      provide: Readiness,
      inject: [Pool, DataSource],
      useFactory: (pool: Pool, dataSource: DataSource) => new Readiness(pool, dataSource),
    },
  ],
})
export class HealthModule {}
