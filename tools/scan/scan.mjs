// What n8n's own scan of a published package (`npx @n8n/scan-community-package`) says of a folder. A process of its own:
// with jest's NODE_ENV=test some of its rules behave differently.
//   node scan.mjs <folder> source|tarball   →   the violations; exit 1 where there are any
import { resolve } from 'node:path';
import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';

const [folder, kind] = process.argv.slice(2);
// As its `analyzePackageByName` has them.
const patterns = { source: SOURCE_FILE_PATTERNS, tarball: ['**/*.js', 'package.json'] };
const { passed, message, details } = await analyzePackage(resolve(folder), patterns[kind]);
if (!passed) console.log(message, details);
process.exitCode = passed ? 0 : 1;
