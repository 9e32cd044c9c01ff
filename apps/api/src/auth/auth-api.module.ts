import { AuthModule } from '@app/auth';
import { Module } from '@nestjs/common';
import { TokensController } from './tokens.controller.js';

@Module({ imports: [AuthModule], controllers: [TokensController] })
export class AuthApiModule {}
