"""simulate.py against cases that can be computed by hand."""

import unittest

from benchmarks.scaling import draw_pictures, simulate

# Only samples, and only what takes time in a case.
FREE = dict({name: 0.0 for name in simulate.FIGURES}, **{
    name: float("inf") for name in simulate.FIGURES if name.endswith("per_second")
})


class SimulateTest(unittest.TestCase):
    def test_two_workers_halve_the_time(self):
        figures = dict(FREE, picture_seconds=0.5)
        self.assertEqual([200.0] * 1, simulate.calibrate(400, 1, 1, figures))
        self.assertEqual(100.0, max(simulate.calibrate(400, 2, 2, figures)))

    def test_a_fifth_shard_waits_for_a_worker(self):
        figures = dict(FREE, picture_seconds=1.0)
        self.assertEqual([2.0, 2.0, 2.0, 2.0, 4.0], simulate.calibrate(10, 4, 5, figures))

    def test_the_clients_link_bounds_the_calibration(self):
        figures = dict(FREE, picture_bytes=10.0, client_bytes_per_second=5.0)
        self.assertEqual(2000.0, max(simulate.calibrate(1000, 500, 500, figures)))

    def test_a_funnel_reads_every_shard(self):
        figures = dict(FREE, stats_bytes=100.0, parse_bytes_per_second=50.0)
        self.assertEqual(16.0, simulate.simulate(64, 64, 8, figures)[1])

    def test_a_tree_pays_where_histograms_are_what_is_read(self):
        figures = dict(FREE, stats_bytes=100.0, parse_bytes_per_second=50.0)
        # Three levels of four files each, instead of 64 files.
        self.assertEqual((24.0, 4), simulate.simulate(64, 64, 64, figures)[2])

    def test_no_tree_pays_where_samples_are_what_is_read(self):
        figures = dict(FREE, stats_picture_bytes=100.0, parse_bytes_per_second=50.0)
        _, funnel, best = simulate.simulate(6400, 64, 64, figures)
        self.assertEqual((funnel, None), best)

    def test_processor_time_counts_each_start(self):
        figures = dict(FREE, start_seconds=2.0, picture_seconds=1.0)
        self.assertEqual(110.0, simulate.processor_seconds(100, 5, figures))


class DrawPicturesTest(unittest.TestCase):
    def test_a_number_gives_the_same_pixels(self):
        self.assertEqual(draw_pictures.draw(7), draw_pictures.draw(7))
        self.assertNotEqual(draw_pictures.draw(7), draw_pictures.draw(8))
        self.assertEqual({3 * draw_pictures.WIDTH}, {len(row) for row in draw_pictures.draw(7)})


if __name__ == "__main__":
    unittest.main()
