import { NotFound } from '@app/common';
import { Injectable } from '@nestjs/common';
import { CallEvidenceRepository, type EvidenceBatch } from './call-evidence.repository.js';
import { CallsRepository } from '../calls.repository.js';
import type { OwnedCall } from '../domain/call.js';
import { isActive } from '../domain/call-state.js';
import { maskDialogIdentifiers } from './domain/dialog-identifiers.js';
import { pcapOf } from './domain/sip-pcap.js';
import type { Diagnostics } from '../presenters/diagnostics.presenter.js';

interface DiagnosticsReader {
  mayCommand: boolean;
}

/** The signalling and audio of calls, for support. */
@Injectable()
export class CallDiagnosticsService {
  constructor(
    private readonly calls: CallsRepository,
    private readonly evidence: CallEvidenceRepository,
  ) {}

  /**
   * Throws NotFound when the account has no such call; a call that was not dialled has no evidence. A reader who may not command the
   * call does not see the identifiers of its dialogs while it is live: with them, others could try to send requests in its name.
   */
  async find(accountId: number, callId: string, { mayCommand }: DiagnosticsReader): Promise<Diagnostics> {
    const [call, legs, messages] = await Promise.all([
      this.calls.find(accountId, callId),
      this.evidence.legs(accountId, callId),
      this.evidence.messages(accountId, callId),
    ]);
    if (!call) throw new NotFound('Call');
    if (mayCommand || !isActive(call.status)) return { call, legs, messages };
    const masked = messages.map((one) => ({ ...one, message: maskDialogIdentifiers(one.message) }));
    return { call, legs, messages: masked };
  }

  /** The signalling as a capture file. Throws NotFound when the account has no such call. */
  async pcap(accountId: number, callId: string, reader: DiagnosticsReader): Promise<Buffer> {
    return pcapOf((await this.find(accountId, callId, reader)).messages);
  }

  /** Stores the evidence that a dialer recorded of `calls`, in one idempotent statement. */
  record(calls: readonly OwnedCall[], batch: EvidenceBatch): Promise<void> {
    return this.evidence.write(calls, batch);
  }
}
