
C
xPlaceholder*
dtype0*$
shape:ÿÿÿÿÿÿÿÿÿ
%
	keep_probPlaceholder*
dtype0

shapeShapex

rRandomUniformshape

sumAdd	keep_probr

maskFloorsum

yMulxmask