import type { IDataObject } from 'n8n-workflow';

import { usageLimits } from '../../../../../nodes/SocialPublishing/resources/workspace/usageLimits';

test.each<[IDataObject, object[]]>([
	[{ posts: { used: 9, limit: 10 } }, [{ name: 'posts', used: 9, limit: 10 }]],
	[{ posts: { created: 9, completed: 2, limit: 10 } }, [{ name: 'posts', used: 9, limit: 10 }]],
	[{ posts_used: 9, posts_limit: 10 }, [{ name: 'posts', used: 9, limit: 10 }]],
	[{ postsLimit: 10, posts: 9 }, [{ name: 'posts', used: 9, limit: 10 }]],
	[{ media: { bytes: { max: 10, remaining: 4 } } }, [{ name: 'media bytes', used: 6, limit: 10 }]],
	[{ limit: 10, left: 12 }, [{ name: 'requests', used: 0, limit: 10 }]],
	[{ a: { b: { c: { d: { used: 1, limit: 2 } } } } }, [{ name: 'a b c d' }]],
	[{ 'media--bytes_USED': 1, mediaBytesLIMIT: 2 }, [{ name: 'media bytes' }]],
	[{ posts: { used: 0, quota: 5 }, accounts: { count: 1, allowed: 3 } }, [{ used: 0 }, { name: 'accounts' }]],
	// Nothing that can be compared.
	[{ posts: { used: 9, limit: null }, limit: 10 }, []],
	[{ posts: { used: 9, limit: 0 } }, []],
	[{ posts: { used: -1, limit: 10 } }, []],
	[{ posts: { used: 9, limit: -1 } }, []],
	[{ posts: { used: 9, limited: 10 } }, []],
	[{ posts: { used: '9', limit: 10 } }, []],
	[{ requests_per_minute: { read: 60, write: 20 } }, []],
	[{ a: { b: { c: { d: { e: { used: 1, limit: 2 } } } } } }, []],
])('%j', (record, limits) => {
	expect(usageLimits(record)).toEqual(limits.map((one) => expect.objectContaining(one)));
});
