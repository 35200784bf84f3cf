/** A map of bounded size: the entry that was used longest ago goes first. */
export class LruMap<K, V> extends Map<K, V> {
	constructor(private readonly capacity: number) {
		super();
	}

	override get(key: K): V | undefined {
		const value = super.get(key);
		if (value !== undefined) this.set(key, value);
		return value;
	}

	override set(key: K, value: V): this {
		super.delete(key);
		super.set(key, value);
		if (this.size > this.capacity) super.delete(this.keys().next().value!);
		return this;
	}
}
