/** JSON bodies for Swagger; agent 1 is the one of the demo workspace. */
export const CREATE_EXAMPLES = {
  text: {
    summary: 'A text, which can be searched at once',
    value: {
      title: 'Returns',
      source_type: 'text',
      content: '# Returns\n\nGoods can be returned within 30 days. Refunds take five working days.',
    },
  },
  url: {
    summary: 'A page, which is fetched in the background',
    value: { title: 'Opening hours', source_type: 'url', source_reference: 'https://example.com/contact' },
  },
};
