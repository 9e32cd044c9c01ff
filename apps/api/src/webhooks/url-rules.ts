/** The `UrlRules` of this installation, for every route that takes a webhook URL. */
export const WEBHOOK_URL_RULES = 'WEBHOOK_URL_RULES';
