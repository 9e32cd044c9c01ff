import { Encryption } from '@app/common';
import { type Actor, AuditService } from '@app/audit';
import { Database, InstallationRepository } from '@app/database';
import { Injectable } from '@nestjs/common';
import { type EncryptedColumn, EncryptedValuesRepository } from './encrypted-values.repository.js';

interface ColumnInContext extends EncryptedColumn {
  /** The context that Encryption authenticates with the value. */
  context: string;
}

/** Columns of encrypted bytes; `apps/cli/src/backup/upkeep.database.spec.ts` finds those that are missing here. */
export const ENCRYPTED_COLUMNS: readonly ColumnInContext[] = [
  { table: 'webhook_secrets', column: 'secret_sealed', context: 'webhook-secret' },
  { table: 'sip_trunks', column: 'password_sealed', context: 'trunk-password' },
  { table: 'sip_trunks', column: 'tls_key_sealed', context: 'trunk-tls-key' },
  { table: 'sip_trunks', column: 'inbound_password_sealed', context: 'trunk-inbound-password' },
  { table: 'tool_actions', column: 'headers_sealed', context: 'tool-headers' },
  { table: 'mcp_servers', column: 'headers_sealed', context: 'mcp-headers' },
  { table: 'sign_in_settings', column: 'client_secret_sealed', context: 'sign-in-client-secret' },
  { table: 'sessions', column: 'refresh_token_sealed', context: 'session-token' },
  { table: 'sessions', column: 'id_token_sealed', context: 'session-token' },
  { table: 'webhook_deliveries', column: 'headers_sealed', context: 'webhook-headers' },
  { table: 'call_commands', column: 'input_sealed', context: 'call-command-input' },
  { table: 'webhook_deliveries', column: 'request_sealed', context: 'webhook-request' },
];

/** Columns of JSON with `"headers_sealed": "<base64>"` somewhere inside. */
export const ENCRYPTED_JSON: readonly EncryptedColumn[] = [
  { table: 'agents', column: 'post_call_webhook' },
  { table: 'agents', column: 'call_status_webhook' },
  { table: 'agents', column: 'pre_call_webhook' },
  { table: 'agent_versions', column: 'settings' },
  { table: 'calls', column: 'settings' },
  { table: 'campaigns', column: 'webhook' },
];
const JSON_CONTEXT = 'webhook-headers';

/** `trunkline rekey`. */
@Injectable()
export class RekeyService {
  constructor(
    private readonly installation: InstallationRepository,
    private readonly values: EncryptedValuesRepository,
    private readonly database: Database,
    private readonly encryption: Encryption,
    private readonly audit: AuditService,
  ) {}

  /**
   * Encrypts every secret with SECRET_KEY. Runs while the service runs and may be repeated: a row that changes meanwhile is skipped,
   * because its writer already uses the new key. Returns the number of re-encrypted values. Throws when no key decrypts a value.
   */
  async rekey(actor: Actor): Promise<number> {
    const { encryption, values } = this;
    let count = 0;
    const replace = async (column: EncryptedColumn, id: unknown, from: unknown, to: unknown): Promise<void> => {
      if (to !== undefined && (await values.replaceEncrypted(column, id, from, to))) count += 1;
    };
    for (const column of ENCRYPTED_COLUMNS)
      for await (const { id, value } of values.encryptedBytes(column))
        await replace(column, id, value, reencrypt(encryption, value as Buffer, column.context));
    for (const column of ENCRYPTED_JSON)
      for await (const { id, value } of values.encryptedJson(column))
        await replace(column, id, value, reencryptJson(encryption, value as object));
    await this.database.transaction(async (tx) => {
      await this.installation.replaceKeyFingerprint(encryption.fingerprint, tx);
      const details = { values: count };
      await this.audit.record({ accountId: null, actor, action: 'secret_key.rekeyed', details }, tx);
    });
    return count;
  }
}

/** undefined: the value is encrypted with SECRET_KEY already. */
function reencrypt(encryption: Encryption, value: Buffer, context: string): Buffer | undefined {
  return encryption.isCurrent(value, context)
    ? undefined
    : encryption.encrypt(encryption.decrypt(value, context), context);
}

function reencryptJson(encryption: Encryption, value: object): object | undefined {
  let changed = false;
  const copy = JSON.parse(JSON.stringify(value), (key, item: unknown) => {
    if (key !== 'headers_sealed' || typeof item !== 'string') return item;
    const anew = reencrypt(encryption, Buffer.from(item, 'base64'), JSON_CONTEXT);
    if (!anew) return item;
    changed = true;
    return anew.toString('base64');
  }) as object;
  return changed ? copy : undefined;
}
