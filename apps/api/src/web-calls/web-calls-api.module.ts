import { BearerGuard, ScopesGuard, WrongTokensGuard } from '@app/auth';
import { CallsModule } from '@app/calls';
import { Module } from '@nestjs/common';
import { BodyGuard } from '../http/server/body.guard.js';
import { SocketsModule } from '../sockets/sockets.module.js';
import { WebCallSocketsService } from './web-call-sockets.service.js';
import { WebCallerGuard } from './web-caller.guard.js';
import { WebCallsController } from './web-calls.controller.js';
import { WebKeysController } from './web-keys.controller.js';

@Module({
  imports: [CallsModule, SocketsModule],
  controllers: [WebCallsController, WebKeysController],
  providers: [BearerGuard, BodyGuard, ScopesGuard, WrongTokensGuard, WebCallerGuard, WebCallSocketsService],
})
export class WebCallsApiModule {}
