import { AccountsModule } from '@app/accounts';
import { AuthModule } from '@app/auth';
import { Module } from '@nestjs/common';
import { SessionController, SessionsController } from './session.controller.js';
import { SignInController } from './sign-in.controller.js';
import { SignInSettingsController } from './sign-in-settings.controller.js';
import { TokensController } from './tokens.controller.js';

@Module({
  imports: [AccountsModule, AuthModule],
  controllers: [SessionController, SessionsController, SignInController, SignInSettingsController, TokensController],
})
export class AuthApiModule {}
