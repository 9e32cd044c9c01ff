import { SimulationsModule } from '@app/agents';
import { Module } from '@nestjs/common';
import { SimulationsController } from './simulations.controller.js';

@Module({ imports: [SimulationsModule], controllers: [SimulationsController] })
export class SimulationsApiModule {}
