/** Stand-in until the table of networks lands. */
export const charactersOf = (_platform: string, text: string): string => String([...text].length);
export const textWarning = (_platform: string, _text: string): string | undefined => undefined;
export const mediaWarnings = (_platform: string, _files: ReadonlyArray<{ name: string }>): string[] => [];
export const sharePageOf = (_url: string): string | undefined => undefined;
