import { Module } from '@nestjs/common';
import { DialerLinksService } from './dialer-links.service.js';
import { UpgradesService } from './upgrades.service.js';

/** WebSockets of clients, and connections to the dialers of their calls. */
@Module({
  providers: [DialerLinksService, UpgradesService],
  exports: [DialerLinksService, UpgradesService],
})
export class SocketsModule {}
