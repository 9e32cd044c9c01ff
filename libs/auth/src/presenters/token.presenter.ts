import { isoTime, timeOrNull } from '@app/common';
import type { ApiTokenEntity } from '../api-token.entity.js';

/** A token as the API shows it; the token itself is shown once, when it is issued. */
export const tokenView = (token: ApiTokenEntity) => ({
  id: token.id,
  name: token.name,
  hint: token.hint,
  scopes: token.scopes,
  expires_at: timeOrNull(token.expiresAt),
  revoked_at: timeOrNull(token.revokedAt),
  last_used_at: timeOrNull(token.lastUsedAt),
  replaced_by: token.replacedBy,
  created_at: isoTime(token.createdAt),
});

export type TokenView = ReturnType<typeof tokenView>;
