import type { Env, Log } from '@app/common';
import { QueueModule } from '@app/queue';
import { type DynamicModule, Module } from '@nestjs/common';
import { DialProcessor } from './dial.processor.js';
import { Dialer } from './dialer.js';

/** Listens for wake-ups; everything else the dialer process needs is made by `main`, which also takes it down in order. */
@Module({})
export class DialerModule {
  static forDialer(env: Env, log: Log, dialer: Dialer): DynamicModule {
    return {
      module: DialerModule,
      imports: [QueueModule.forRoot(env, log)],
      providers: [{ provide: Dialer, useValue: dialer }, DialProcessor],
    };
  }
}
