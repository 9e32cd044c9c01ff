import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RecordsModule } from '../records/records.module.js';
import { SipRoutesService } from './sip-routes.service.js';
import { SipTrunkEntity, TrunkHealthEntity } from './sip-trunk.entity.js';
import { TrunkHealthService } from './trunk-health.service.js';
import { TrunkPlacesRepository } from './trunk-places.repository.js';
import { TrunkRegistrationsRepository } from './trunk-registrations.repository.js';
import { TrunkStatesRepository } from './trunk-states.repository.js';
import { TrunksRepository } from './trunks.repository.js';
import { TrunksService } from './trunks.service.js';

/** SIP trunks of accounts: their settings, targets, registrations and health, and the trunks of SIP URIs. */
@Module({
  imports: [RecordsModule, TypeOrmModule.forFeature([SipTrunkEntity, TrunkHealthEntity])],
  providers: [
    SipRoutesService,
    TrunkHealthService,
    TrunkPlacesRepository,
    TrunkRegistrationsRepository,
    TrunkStatesRepository,
    TrunksRepository,
    TrunksService,
  ],
  exports: [SipRoutesService, TrunkHealthService, TrunkRegistrationsRepository, TrunkStatesRepository, TrunksService],
})
export class TrunksModule {}
