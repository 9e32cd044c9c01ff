import { type Env, type Log, Encryption } from '@app/common';
import { WakeUps } from '@app/queue';
import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { ENV, LOG } from '@app/settings';
import { InvokeLimit } from './invoke-limit.js';
import { InvokeToolController } from './invoke-tool.controller.js';
import { ToolCallsController } from './tool-calls.controller.js';
import { ToolInvocationsController } from './tool-invocations.controller.js';
import { ToolRunner } from './tool-runner.js';

/** Where this process runs tools, and what became of those that calls invoked. */
@Module({
  controllers: [InvokeToolController, ToolCallsController, ToolInvocationsController],
  providers: [
    { provide: InvokeLimit, useFactory: () => new InvokeLimit() },
    {
      provide: ToolRunner,
      inject: [ENV, LOG, Pool, Encryption, WakeUps],
      useFactory: (env: Env, log: Log, pool: Pool, encryption: Encryption, wakeUps: WakeUps) =>
        ToolRunner.open(env, log, pool, encryption, () => wakeUps.wake('webhooks')),
    },
  ],
  exports: [ToolRunner],
})
export class ToolRunsModule {}
