import { TrunksService } from '@app/accounts';
import { createLog, Encryption } from '@app/common';
import { describe, expect, it } from '@jest/globals';
import { KnownTrunksService } from './known-trunks.service.js';

describe('the trunks that a dialer keeps registered', () => {
  it('are known by the servers of their registrar until the registration ends', () => {
    // Nothing is read: the registrations are those of this process.
    const trunks: TrunksService = Object.create(TrunksService.prototype);
    const encryption = new Encryption('a key of at least 32 characters, for tests');
    const known = new KnownTrunksService(trunks, encryption, createLog({ level: 'silent', role: 'dialer' }));
    known.registered(7, 'line7', ['192.0.2.1', '2001:db8::1']);
    known.registered(9, 'line9', ['192.0.2.1']);
    expect(known.byRegistrar('192.0.2.1')).toEqual(['7', '9']);
    expect(known.byRegistrar('2001:db8:0:0:0:0:0:1')).toEqual(['7']);
    expect(known.byRegistrar('192.0.2.2')).toEqual([]);
    known.unregistered(7);
    expect(known.byRegistrar('192.0.2.1')).toEqual(['9']);
  });
});
