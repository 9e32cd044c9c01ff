/** `@Inject(WEBHOOK_URL_RULES) rules: UrlRules`: the rules of this installation for every URL that users give. */
export const WEBHOOK_URL_RULES = Symbol('WEBHOOK_URL_RULES');
