import { type Env, type Log, Encryption } from '@app/common';
import { WakeUps } from '@app/queue';
import { SigningSecrets, WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { Pool } from 'pg';
import { ENV, LOG } from '@app/settings';
import { InvokeSlots } from './invoke-slots.js';
import { InvokeToolController } from './invoke-tool.controller.js';
import { ToolCallsController } from './tool-calls.controller.js';
import { ToolInvocationsController } from './tool-invocations.controller.js';
import { ToolRunner } from './tool-runner.js';

/** Where this process runs tools, and what became of those that calls invoked. */
@Module({
  imports: [WebhooksModule],
  controllers: [InvokeToolController, ToolCallsController, ToolInvocationsController],
  providers: [
    { provide: InvokeSlots, useFactory: () => new InvokeSlots() },
    {
      provide: ToolRunner,
      inject: [ENV, LOG, Pool, Encryption, SigningSecrets, WakeUps],
      useFactory: (env: Env, log: Log, pool: Pool, encryption: Encryption, secrets: SigningSecrets, wakeUps: WakeUps) =>
        ToolRunner.open(env, log, pool, encryption, secrets, () => wakeUps.wake('webhooks')),
    },
  ],
  exports: [ToolRunner],
})
export class ToolRunsModule {}
