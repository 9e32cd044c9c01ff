/** `--import` of a process that may load the packages of test/vendor-clients. */
import { register } from 'node:module';

const folder = new URL('../vendor-clients/package.json', import.meta.url).href;

const hooks = `
export async function resolve(name, context, next) {
  try {
    return await next(name, context);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || /^[./]|^\\w+:/.test(name)) throw error;
    return next(name, { ...context, parentURL: ${JSON.stringify(folder)} });
  }
}`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
