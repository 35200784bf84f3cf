const readme = 'https://github.com/n8n-nodes-social-publishing/n8n-nodes-social-publishing#';

/** What both nodes have in n8n's catalog, which is made from the class: it doesn't read the .node.json files. */
export const codex = {
	categories: ['Marketing & Content', 'Communication'],
	resources: {
		primaryDocumentation: [{ url: `${readme}readme` }],
		credentialDocumentation: [{ url: `${readme}credentials` }],
	},
};
