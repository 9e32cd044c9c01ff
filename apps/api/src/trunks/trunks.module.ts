import { Module } from '@nestjs/common';
import { TrunksController } from './trunks.controller.js';

@Module({ controllers: [TrunksController] })
export class TrunksModule {}
