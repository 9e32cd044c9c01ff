import { SimulationsModule, TestCallsModule } from '@app/simulation';
import { Module } from '@nestjs/common';
import { SimulationsController } from './simulations.controller.js';

@Module({ imports: [SimulationsModule, TestCallsModule], controllers: [SimulationsController] })
export class SimulationsApiModule {}
