import 'reflect-metadata';
import { Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TutorialCallsController, TutorialCallsService } from './tutorial-calls.js';
import * as entities from './tutorial-entities.js';

const ENTITIES = Object.values(entities);

/** The same three routes on the same tables, written as tutorials of Nest and TypeORM do. */
@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL,
      entities: ENTITIES,
      extra: { max: Number(process.env.DATABASE_POOL) },
    }),
    TypeOrmModule.forFeature(ENTITIES),
  ],
  controllers: [TutorialCallsController],
  providers: [TutorialCallsService],
})
class TutorialModule {}

const app = await NestFactory.create(TutorialModule, { logger: ['error', 'warn'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
await app.listen(0, '127.0.0.1');
const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
process.send?.({ port });
process.once('SIGTERM', () => process.exit(0));
