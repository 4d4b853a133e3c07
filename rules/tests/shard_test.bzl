"""How samples are dealt out to shards."""

load("@bazel_skylib//lib:unittest.bzl", "asserts", "unittest")
load("//rules/private:dataset.bzl", "shard_samples")

def _sample(name, folder = "samples"):
    return struct(basename = name, short_path = folder + "/" + name)

def _names(dealt):
    return {shard: [sample.basename for sample in samples] for shard, samples in dealt.items()}

def _shard_test_impl(ctx):
    env = unittest.begin(ctx)
    samples = [_sample("%d.jpg" % i) for i in range(40)]
    dealt = _names(shard_samples(samples, 4))
    asserts.equals(env, 40, len([name for names in dealt.values() for name in names]))
    asserts.equals(env, [0, 1, 2, 3], dealt.keys(), "shards come in order")

    # The order in which samples are written doesn't matter, nor does the folder that they lie in.
    asserts.equals(env, dealt, _names(shard_samples(samples[::-1], 4)))
    moved = [_sample(sample.basename, "elsewhere") for sample in samples]
    asserts.equals(env, dealt, _names(shard_samples(moved, 4)))

    # One sample more: one shard gets it.
    more = _names(shard_samples(samples + [_sample("new.jpg")], 4))
    asserts.equals(env, 1, len([shard for shard in more if more[shard] != dealt.get(shard)]))

    # Numbered names, as cameras write them, fill all shards, none with more than half as many again as the mean.
    numbered = _names(shard_samples([_sample("IMG_%d.jpg" % (1000 + i)) for i in range(1000)], 64))
    asserts.equals(env, 64, len(numbered))
    asserts.true(env, max([len(names) for names in numbered.values()]) <= 23)

    # A shard without samples has no action.
    asserts.equals(env, 1, len(shard_samples(samples[:1], 64)))
    return unittest.end(env)

shard_test = unittest.make(_shard_test_impl)
