import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { loadEnv } from '@app/common';
import { dataSourceOptions, loadMigrations, migrationFiles } from '@app/database';

const { DATABASE_URL } = loadEnv();
if (!DATABASE_URL)
  throw new Error('DATABASE_URL is needed, for example postgres://user:password@localhost:5432/trunkline');

/** For the TypeORM command line: `npm run build && npx typeorm migration:show -d dist/ormconfig.js`. */
export default new DataSource({
  ...dataSourceOptions(DATABASE_URL),
  migrations: await loadMigrations(migrationFiles()),
});
