/** A stored webhook target. Its headers may hold secrets: a JSON list, encrypted (base64) with context `webhook-headers`. */
export interface StoredWebhook {
  url: string;
  method: string;
  headers_sealed?: string;
}
