import { type Links, linksOf } from '@app/calls';
import { Encryption, type Env } from '@app/common';
import { ENV } from '@app/settings';
import { Global, Module } from '@nestjs/common';

export const LINKS = 'LINKS';

/** Provides the links of calls. */
@Global()
@Module({
  providers: [
    {
      provide: LINKS,
      inject: [ENV, Encryption],
      useFactory: (env: Env, key: Encryption): Links => linksOf(env, key),
    },
  ],
  exports: [LINKS],
})
export class CoreModule {}
