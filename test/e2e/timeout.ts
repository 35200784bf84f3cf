import { TEST_TIMEOUT_MS } from '../n8n/limits';

// Of every test and hook of this project.
jest.setTimeout(TEST_TIMEOUT_MS);
