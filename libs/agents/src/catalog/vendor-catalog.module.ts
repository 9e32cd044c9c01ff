import { Module } from '@nestjs/common';
import { VendorCatalogService } from './vendor-catalog.service.js';

/** The lists of the vendors. Requires the global modules of settings and egress. */
@Module({ providers: [VendorCatalogService], exports: [VendorCatalogService] })
export class VendorCatalogModule {}
