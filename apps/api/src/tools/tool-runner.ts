import type { Env, Log, Encryption } from '@app/common';
import { openToolRun, type OpenToolRun, type ToolRunParts } from '@app/tools';
import type { SigningSecrets } from '@app/webhooks';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Pool } from 'pg';

/** What this process runs tools with. */
@Injectable()
export class ToolRunner implements OnModuleDestroy {
  private constructor(private readonly opened: OpenToolRun) {}

  static open(
    env: Env,
    log: Log,
    pool: Pool,
    encryption: Encryption,
    secrets: SigningSecrets,
    wakeWebhooks: () => void,
  ): ToolRunner {
    return new ToolRunner(openToolRun({ env, log, pool, encryption, secrets, wakeWebhooks }));
  }

  get parts(): ToolRunParts {
    return this.opened.parts;
  }

  onModuleDestroy(): Promise<void> {
    return this.opened.close();
  }
}
