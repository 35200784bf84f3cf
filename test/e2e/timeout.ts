// What waiting for a real n8n takes on a busy machine, many times over.
jest.setTimeout(900_000);
